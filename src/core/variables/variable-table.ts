/**
 * The table of the variables that decide what runs, what a program can reach, or how a text is read. Each row has its evidence. A grant
 * binds the values of these variables. A line that sets such a variable is opaque. The last three lists of this file are exceptions. Tools
 * read more variables than their manuals list. So the table has whole families of names, and shapes of names that occur in all families.
 */

/**
 * @property names    separated by blanks; `*` is an arbitrary text: `X*` is every name that begins with X, `*X` every name that ends with X
 * @property anyCase  whether upper and lower case match each other
 * @property evidence what the variable does, and the source of this fact
 */
export interface VariableRow {
  readonly names: string;
  readonly anyCase?: true;
  readonly evidence: string;
}

export const namesOfRow = ({ names }: VariableRow): readonly string[] => names.split(/\s+/);

/** Variables that bash itself reads, exported or not. In an interactive session, a grant binds them even if they are not exported. */
export const SHELL_VARIABLES: readonly VariableRow[] = [
  { names: 'PATH EXECIGNORE', evidence: 'which file a name runs: bash(1) "COMMAND EXECUTION"' },
  { names: 'HOME', evidence: 'what ~ is, and where every program has its settings: bash(1) "Tilde Expansion"' },
  { names: 'IFS', evidence: 'where words are split: bash(1) "Word Splitting"' },
  { names: 'CDPATH', evidence: 'where a relative cd goes: bash(1) "cd"' },
  {
    names: 'GLOBIGNORE GLOBSORT',
    evidence: 'which files a pattern names, and in which order: bash(1) "Pathname Expansion", "Shell Variables" (5.3)',
  },
  { names: 'ENV BASH_ENV', evidence: 'a file that a shell runs first: bash(1) "INVOCATION"' },
  {
    names: 'BASHOPTS SHELLOPTS BASH_COMPAT POSIXLY_CORRECT POSIX_PEDANTIC POSIX_PEDANDTIC',
    evidence: 'how bash reads a text: bash(1) "set", "shopt"; shell.c and variables.c of bash 5.2 have the last two',
  },
  { names: 'BASH_XTRACEFD PS4', evidence: 'a descriptor to write to, a text that set -x expands: bash(1)' },
  { names: 'BASH_LOADABLES_PATH', evidence: 'where enable -f finds code: bash(1) "enable"' },
  { names: 'TMPDIR', evidence: 'where here-documents and temporary files lie: bash(1), tempnam(3)' },
  {
    names: 'LC_ALL LC_CTYPE LANG LOCPATH PATH_LOCALE',
    evidence:
      'the character set, and so where a quote ends: locale(7); in BIG5 and GBK a backslash is half a character',
  },
  {
    names: 'auto_resume',
    evidence: 'a command of one word resumes a stopped job in its place: bash(1) "Shell Variables"',
  },
  { names: 'LC_COLLATE', evidence: 'which names [a-z] matches: bash(1) "Pattern Matching"' },
  {
    names: 'TEXTDOMAIN TEXTDOMAINDIR LANGUAGE',
    evidence:
      'what $"…" becomes (bash expands the result): bash(1) "QUOTING"; a LANGUAGE with ../ names any file: gettext(3)',
  },
];

/** The names of the variables that bash itself reads. In a session these variables count even if they are not exported. */
export const SHELL_VARIABLE_NAMES: readonly string[] = SHELL_VARIABLES.flatMap(namesOfRow);

/** Variables that programs read, and further variables of bash. */
export const PROGRAM_VARIABLES: readonly VariableRow[] = [
  // variables of bash itself that an environment or a line sets
  {
    names: 'BASH* COMP_* READLINE_*',
    evidence: 'exported functions, call depth, completion: bash(1) "Shell Variables"',
  },
  {
    names:
      'PROMPT_* PS0 PS1 PS2 PS3 MAILPATH MAIL MAILCHECK INPUTRC HISTFILE HISTCONTROL HISTIGNORE HISTSIZE HISTFILESIZE HISTTIMEFORMAT histchars',
    evidence: 'what bash evaluates at a prompt, which keys do what, which file it writes: bash(1)',
  },
  {
    names: `TMOUT FUNCNEST IGNOREEOF ignoreeof HISTCMD FIGNORE HOSTFILE OPTARG OPTIND OPTERR SECONDS RANDOM SRANDOM EPOCHSECONDS EPOCHREALTIME LINENO
      DIRSTACK FUNCNAME GROUPS HOSTNAME PIPESTATUS PPID UID EUID PWD OLDPWD REPLY MAPFILE SHLVL`,
    evidence: 'state of bash; some evaluate the assigned value as arithmetic, and cd - goes to OLDPWD: bash(1)',
  },
  {
    names: 'SHELL ZDOTDIR FPATH FCEDIT',
    evidence: 'which shell or editor is started by script, xargs, vim, make and fc: bash(1), zsh(1)',
  },
  // the loader, the C library, the kernel
  { names: 'LD_* DYLD_* GLIBC_TUNABLES', evidence: 'code that is loaded into every program: ld.so(8), dyld(1)' },
  { names: 'MALLOC_*', evidence: 'MALLOC_TRACE names a file that is written: mtrace(3), mallopt(3)' },
  { names: 'GCONV_* GETCONF_DIR NLSPATH', evidence: 'modules and catalogues that are loaded: iconv(1), catopen(3)' },
  {
    names: 'LOCALDOMAIN RES_OPTIONS HOSTALIASES',
    evidence: 'which machine a host name is: resolv.conf(5), hostname(7)',
  },
  {
    names: 'TERM TERMINFO* TERMCAP TERMPATH',
    evidence: 'what a program sends to the terminal, and from which file: terminfo(5)',
  },
  {
    names: 'TZDIR ARGP_HELP_FMT USER LOGNAME',
    evidence: 'a directory that is read; who is meant: tzset(3), environ(7)',
  },
  // what one program starts
  {
    names: 'PAGER MANPAGER EDITOR VISUAL BROWSER',
    evidence: 'a program that many tools start: environ(7), man(1), xdg-open(1)',
  },
  {
    names: 'LESS* MORE MOST_*',
    evidence: 'LESSOPEN and LESSECHO name programs, LESSKEYIN binds keys to programs: less(1)',
  },
  {
    names: 'MAN* GROFF_*',
    evidence: 'which pages are formatted, with which options and programs (-U lets .sy run commands): man(1), groff(1)',
  },
  { names: 'SUDO* ASKPASS', evidence: 'programs that ask for passwords and edit: sudo(8)' },
  {
    names: 'TAR_* TAPE GZIP BZIP* XZ_* LZMA_* ZSTD_* ZIP ZIPOPT UNZIP UNZIPOPT',
    evidence: 'options, archives at another host: tar(1), zip(1), gzip(1)',
  },
  {
    names: 'RSYNC_* CVS* SVN* HG* BZR*',
    evidence: 'programs to connect with, settings that name programs: rsync(1), hg(1)',
  },
  {
    names: 'GIT* GH_* GITHUB_* GITLAB_* GLAB_*',
    evidence: 'programs, settings, repositories, accounts: git(1), gh-environment(1)',
  },
  { names: 'SSH_* GPG* GNUPGHOME', evidence: 'programs that ask, helpers (SSH_SK_HELPER), key stores: ssh(1), gpg(1)' },
  { names: 'DPKG_* APT_* DEB_* DEBCONF* RPM_*', evidence: 'pagers, settings, root directories: dpkg(1), apt.conf(5)' },
  {
    names: 'SYSTEMD_* DBUS_* XDG_* NOTIFY_SOCKET',
    evidence: 'pagers; unixexec: of D-Bus runs a program; settings: systemctl(1), dbus-daemon(1)',
  },
  {
    names: 'FZF_* PARALLEL* TMUX* SCREEN* BAT_* DELTA_* RIPGREP_* FD_* EZA_* LS_* GREP_* PRELOAD* NNN_* RANGER*',
    evidence: 'commands, options and settings of that tool: its manual',
  },
  { names: 'VIM* GVIM* NVIM* EXINIT EMACS*', evidence: 'commands and load paths: vim(1), emacs(1)' },
  // languages
  { names: 'PERL* PERL5* PERLLIB', evidence: 'modules and options: perlrun(1)' },
  {
    names:
      'PYTHON* PYTEST* PY_* PYENV_* IPYTHON* COVERAGE_* DJANGO_* FLASK_* PIP* UV_* POETRY_* CONDA_* MAMBA_* VIRTUAL_ENV* MYPY* RUFF_* TOX_* PDM_* HATCH_*',
    evidence: 'modules, start-up code, plug-ins: python(1), pytest(1)',
  },
  {
    names: 'NODE_* NODENV_* NVM_* TS_* DENO_* BUN_* YARN_* PNPM_* COREPACK_* ELECTRON_* VITE_* JEST_* ESLINT_*',
    evidence: 'NODE_OPTIONS loads a file into every node: node(1)',
  },
  {
    names: 'npm_*',
    anyCase: true,
    evidence: 'npm reads its settings, script-shell among them, in upper and lower case: npm-config(7)',
  },
  {
    names: 'BIOME_* TURBO_* NX_* VITEST* PRETTIER_* TSX_* TSC_* CYPRESS_* PLAYWRIGHT_* PW_* NEXT_* MOCHA*',
    evidence: 'BIOME_BINARY, TURBO_BINARY_PATH, CYPRESS_RUN_BINARY are programs; settings: the manual of each',
  },
  {
    names: 'BLACK_* PYLINT* ISORT_* FLAKE8_* PRE_COMMIT_*',
    evidence: 'directories of pickled data, and pickled data can run code: pylint(1), black(1)',
  },
  {
    names: 'DOTNET_* MSBUILD* CORECLR_* COMPlus_* NUGET_* COMPOSER* RAKEOPT SPEC_*',
    anyCase: true,
    evidence: 'profilers and start-up hooks are loaded, SDKs and project files named: dotnet(1), composer(1), rake(1)',
  },
  { names: 'RUBY* RBENV_* GEM_* BUNDLE* RAILS_* RACK_*', evidence: 'options and libraries: ruby(1), bundle-config(1)' },
  {
    names: '*JAVA* JDK_* MAVEN_* MVN* GRADLE_* ANT_* SBT_* CLASSPATH KOTLIN_* SCALA_*',
    evidence: 'JAVA_TOOL_OPTIONS loads an agent: java(1)',
  },
  {
    names: 'GO*',
    evidence:
      'GOFLAGS has -toolexec, GOCACHEPROG and GOAUTH are programs, GOTOOLCHAIN is one that is downloaded: go help environment',
  },
  {
    names: 'CARGO_* RUST* CC_* CXX_*',
    evidence: 'wrappers and linkers: the Cargo book, "Environment Variables"; rustup',
  },
  {
    names:
      'LUA_* PHP* R_* JULIA_* TCL* TK_* AWK* ERL_* ELIXIR_* MIX_* GHC_* STACK_* CABAL_* OCAML* OPAM* GUILE_* SBCL_*',
    evidence: 'load paths and start-up files: lua(1), php(1), tclsh(1), gawk(1)',
  },
  {
    names: 'OPENSSL_* SSL_* SSLKEYLOGFILE CURL_* WGETRC SYSTEM_WGETRC REQUESTS_CA_BUNDLE',
    evidence: 'engines, whom to trust, a file of keys, settings: openssl-env(7), curl(1), wget(1)',
  },
  // building
  {
    names: 'MAKE* GNUMAKE* MFLAGS CMAKE_* CTEST_* NINJA_* MESON_* SCONS* BAZEL_* CCACHE_* DISTCC_* SCCACHE_*',
    evidence: 'MAKEFLAGS can hold --eval, and MAKEFILES names more makefiles: make(1)',
  },
  {
    names: `LEX* YACC* LINT* BISON* TEX TEXI2DVI LATEX PDFLATEX BIBTEX WEAVE TANGLE CWEAVE CTANGLE OBJC M2C M4 GET CO COFLAGS RM PC FC
      F77 F77FLAGS LDLIBS LOADLIBES TARGET_ARCH TARGET_MACH OUTPUT_OPTION SUFFIXES`,
    evidence:
      'programs and options of built-in rules: make -p, "Variables Used by Implicit Rules" in the manual of GNU make',
  },
  {
    names: 'shell_escape* openout_any openin_any TEXMF* TEXINPUTS BIBINPUTS BSTINPUTS TEXFONTS TEXPOOL',
    evidence: 'whether TeX runs programs, what it may write, where it finds its files: tex(1), kpsewhich(1)',
  },
  {
    names: 'FFREPORT KRB5* GHCRTS GHC_* RUN_MAILCAP MAILCAPS',
    evidence:
      'files that a program writes or reads first, or the server it talks to: ffmpeg(1), kerberos(7), run-mailcap(1)',
  },
  {
    names:
      'COMPILER_PATH LIBRARY_PATH CPATH C_INCLUDE_PATH GCC_* COLLECT_* CC CXX CPP LD AR AS NM RANLIB STRIP FC GFORTRAN* PKG_CONFIG*',
    evidence: 'the programs of the compiler: gcc(1), pkg-config(1)',
  },
  {
    names: `SED GREP EGREP FGREP AWK TAR INSTALL LIBTOOL OBJCOPY OBJDUMP MKDIR_P LN_S CMP DIFF AUTOCONF AUTOHEADER AUTOMAKE AUTOM4TE
      ACLOCAL M4 BISON FLEX MSGFMT XGETTEXT DLLTOOL WINDRES`,
    evidence:
      'programs that configure, autoreconf and a Makefile start in place of the usual ones: autoconf manual, "Particular Programs"',
  },
  {
    names: 'LEFTHOOK* P4* DIFFPROG PKCS11* VK_* OCL_*',
    evidence:
      'programs and libraries that lefthook, p4, pacdiff, PKCS #11, Vulkan and OpenCL start or load: their manuals',
  },
  {
    names:
      'DEPENDENCIES_OUTPUT SUNPRO_DEPENDENCIES GCOV_* GMON_* CPUPROFILE HEAPPROFILE LDEMULATION ICECC_* VALGRIND* DEBUGINFOD*',
    evidence: 'files that a compiler, or a program that it made, writes; other linkers: gcc(1), gprof(1), ld(1)',
  },
  {
    names: 'DOTNET_* NUGET_* CORECLR_* COR_* CARGO DIRENV_* HOMEBREW_* RAKE* fish_* FISH_* KSH_*',
    evidence: 'libraries that are loaded, interpreters that are started, functions: documentation of each',
  },
  {
    names: 'LDAP* ODBC* LYNX* TIG* LG_* XENVIRONMENT XAPPLRESDIR RSH FAKEROOT* FAKECHROOT_*',
    evidence: 'drivers that are loaded, settings that name programs: ldap.conf(5), lynx(1), tig(1), X(7)',
  },
  {
    names: 'PATCH_* SIMPLE_BACKUP_SUFFIX VERSION_CONTROL GDBHISTFILE',
    evidence:
      'PATCH_GET starts a program of version control, the others name files that are written: patch(1), cp(1), gdb(1)',
  },
  {
    names: 'PREFIX DESTDIR',
    evidence:
      'npm reads PREFIX/etc/npmrc (below DESTDIR, if set), and this file may name the shell of scripts: npm-config(7) "prefix"',
  },
  {
    names: 'DOTDIR MAGIC',
    evidence: 'expect runs DOTDIR/.expect.rc; MAGIC names the files that file(1) reads first: expect(1), file(1)',
  },
  {
    names: 'PROTOC CMAKE LIBTOOLIZE AUTOPOINT INTLTOOLIZE HELP2MAN GCCGO BIBER TEXEDIT CTAGS AR_* GVBINDIR MPLBACKEND',
    evidence: 'programs and modules that builds, TeX, Graphviz and Matplotlib start or load: the manual of each',
  },
  {
    names: 'OMP_* OMPI_* SDL_* DH_* PLT* MTR_* DARCS_* BORG_* FLATPAK_* LIBGUESTFS_* WATCHMAN_* LLD_* RANDFILE',
    evidence: 'programs, libraries and sockets of these tools, and files that they write: the manual of each',
  },
  { names: 'GTK* QT_* GIO_* GST_* GDK_*', evidence: 'modules that are loaded: GTK and Qt documentation' },
  // servers, clouds, accounts
  { names: '*_PROXY', anyCase: true, evidence: 'where requests go: curl(1), wget(1)' },
  {
    names: 'DOCKER_* COMPOSE_* BUILDKIT_* BUILDX_* CONTAINER* PODMAN* REGISTRY_*',
    evidence: 'which daemon, which files: docker(1), compose',
  },
  { names: 'KUBE* HELM_* MINIKUBE_* ISTIO*', evidence: 'which cluster, plug-ins, diff programs: kubectl(1)' },
  {
    names: 'AWS_* AZURE_* GOOGLE_* GCLOUD* CLOUDSDK_* BOTO* DO_* DIGITALOCEAN_*',
    evidence: 'account, end point, settings, pager: aws, gcloud and az documentation',
  },
  {
    names: 'TF_* TERRAFORM_* TERRAGRUNT_* PULUMI_* ANSIBLE_* VAULT_* CONSUL_* NOMAD_* PACKER_* VAGRANT_*',
    evidence: 'plug-ins, settings, servers: their manuals',
  },
  {
    names: 'PG* PSQL* MYSQL* MARIADB_* REDIS* MONGO* SQLITE_*',
    evidence: 'which server, which start-up file, which pager: psql(1), mysql(1)',
  },
  {
    names: 'APE_* APES_* CLAUDE* CODEX_* GEMINI_* QWEN_* OPENCLAW* OPENCODE* CURSOR_*',
    evidence: 'which server, settings and shell an agent or this gate uses',
  },
  {
    names: 'no_proxy NO_PROXY DISPLAY WAYLAND_DISPLAY XAUTHORITY FORMAT __*',
    evidence:
      'where programs connect; names that are reserved for the system; __ape_* and __c_* are variables of the gate',
  },
  { names: '_A_ _B_', evidence: 'the texts that a gated bash evaluates for each line: its set-up text' },
  // shapes of names that programs of any family use
  {
    names: `*PAGER* *EDITOR* *BROWSER* *ASKPASS* *PRELOAD* *EXTERNAL* *PROXY* *CONFIG* *COMMAND_* *_COMMAND *_CMD *_OPT *_OPTS
      *_OPTION *_OPTIONS *_ARGS *_SHELL *_PATH *_HOME *_ROOT *_DIR *_CONF *RC *_FILE *_HOOK *_HOOKS *_RSH *_SSH *_EXEC *_PLUGIN
      *_PLUGINS *FLAGS *_WRAPPER *_PROGRAM *_PROG *_LIBRARY *_LIB *_BIN *_TOOL *_CC *_COMPILER *_HOST *_URL *_SERVER *ADDOPTS *PATH
      *_EXE *_BINARY *_ALLOW *COMMAND *_AR *_PYTHON *_EMULATOR`,
    evidence: 'names of this shape hold programs, options, files or servers',
  },
];

/**
 * Variables in `PROGRAM_VARIABLES` that decide little. A grant binds their values too. But a line that sets such a variable is not opaque
 * for this reason, and the approver sees the value.
 */
export const SHOWN_VARIABLES: readonly VariableRow[] = [
  { names: 'NODE_ENV', evidence: 'which of its own settings a program takes: Node.js documentation' },
  { names: 'PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONFAULTHANDLER', evidence: 'switches: python(1)' },
];

/**
 * Variables that match the table, but that a request binds only if its texts can use them (`reachOf`). Their values change with every
 * login, call or hour, and name no program that a covered line starts. A line that sets such a variable is still opaque.
 *
 * A grant that bound such a value would match in only one session. An approver who is asked every time soon approves without reading. For
 * the same reason, a request binds a variable outside the table only if its texts can use the variable. WINDOWID and INVOCATION_ID, for
 * example, change with every session too.
 */
export const CHANGING_VARIABLES: readonly VariableRow[] = [
  {
    names: 'PWD OLDPWD SHLVL BASHPID BASH_EXECUTION_STRING',
    evidence: 'bash sets them anew; a request binds OLDPWD and PWD if the line can go where they lead',
  },
  {
    names: 'TERM TERM_PROGRAM* USER LOGNAME HOSTNAME',
    evidence:
      'what a terminal is called; terminfo refuses a name with a slash; a request itself names its user and host',
  },
  {
    names: 'SSH_CONNECTION SSH_CLIENT SSH_TTY SSH_AUTH_SOCK SSH_AGENT_PID GPG_TTY GPG_AGENT_INFO',
    evidence: 'one for each login: addresses, a terminal, a socket that only signs',
  },
  {
    names: 'XDG_SESSION_* XDG_SEAT XDG_VTNR XDG_CURRENT_DESKTOP XDG_MENU_PREFIX DISPLAY WAYLAND_DISPLAY XAUTHORITY',
    evidence: 'one for each login: which screen',
  },
  {
    names: 'TMUX TMUX_PANE TMUX_TMPDIR SCREEN_NO STY',
    evidence: 'one for each window; they name a Unix socket, and a confined line reaches none',
  },
  {
    names: 'LS_COLORS GREP_COLORS GREP_COLOR LS_OPTIONS',
    evidence: 'colours; LS_OPTIONS has an effect only through an alias, and aliases are bound',
  },
  {
    names: 'AWS_SESSION_TOKEN AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SECURITY_TOKEN AWS_CREDENTIAL_EXPIRATION',
    evidence: 'change every hour, so a grant does not bind the account',
  },
  {
    names: `GITHUB_ACTION* GITHUB_ACTOR* GITHUB_BASE_REF GITHUB_ENV GITHUB_EVENT_* GITHUB_HEAD_REF GITHUB_JOB GITHUB_OUTPUT GITHUB_PATH
      GITHUB_REF* GITHUB_RUN_* GITHUB_SHA GITHUB_STATE GITHUB_STEP_SUMMARY GITHUB_TRIGGERING_ACTOR GITHUB_WORKFLOW* GITHUB_WORKSPACE`,
    evidence:
      'numbers and temporary files of one run of a workflow; gh reads others: GITHUB_TOKEN and GITHUB_ENTERPRISE_TOKEN',
  },
  { names: 'KRB5CCNAME', evidence: 'one for each login: a cache of tickets' },
  { names: 'npm_package_* npm_lifecycle_* npm_command', evidence: 'what npm tells a script about itself' },
  {
    names:
      'CLAUDE_PID CLAUDE_CODE_SESSION* CLAUDE_CODE_SSE_PORT CLAUDE_CODE_MESSAGING_SOCKET CLAUDE_CODE_ENTRYPOINT CLAUDECODE CODEX_TOOL_CALL_ID CODEX_THREAD_ID CODEX_SESSION_ID CODEX_CI OPENCLAW_GATEWAY_PORT OPENCLAW_CLI',
    evidence: 'numbers of one session of an agent',
  },
  {
    names: 'APE_* APES_*',
    evidence: 'removed before anything runs; only APES_HOME stays, and only our own programs read it',
  },
  {
    names: 'BASH BASH_ARG* BASH_COMMAND BASH_LINENO BASH_SOURCE BASH_SUBSHELL BASH_VERS*',
    evidence: 'bash sets them anew, whatever the environment says',
  },
];

/**
 * Variables that only an interactive bash uses by itself. Such a bash evaluates some of these variables before the first command. A
 * request for `bash -i` binds all these variables. A request without `-i` binds such a variable only if its texts can use the variable
 * (`reachOf`). The reason: such a request may come from a terminal that exports PROMPT_COMMAND, or from an agent that does not have
 * PROMPT_COMMAND. One grant has to cover both requests.
 */
export const PROMPT_VARIABLES: readonly VariableRow[] = [
  { names: 'PROMPT_* PS0 PS1 PS2', evidence: 'evaluated at every prompt: bash(1) "PROMPTING"' },
  {
    names:
      'HISTFILE HISTCONTROL HISTIGNORE HISTSIZE HISTFILESIZE HISTTIMEFORMAT histchars MAILPATH MAIL MAILCHECK INPUTRC TMOUT IGNOREEOF FIGNORE HOSTFILE',
    evidence: 'files that are read and written, arithmetic: bash(1) "Shell Variables"',
  },
];
