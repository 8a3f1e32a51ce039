/** The text of `:help`. */
export const META_HELP = `ape-shell: every line is checked before bash sees it; what no grant covers waits for a human.

  :help     this text
  :status   session, host, identity, server, your waiting requests
  :reset    a fresh bash in the same directory, when this one is wedged
  exit      leave; needs no grant

  Ctrl-C while a line waits withdraws its request. What you type while a command runs goes to the gate like any line.

  apes grants list        your requests          apes grants show ID     one of them
  apes health             what works, what not   apes workflow list      protocols for agents
`;
