# A formula for Homebrew that was not tried. Write the address and the SHA-256 of a package (npm pack) into it.
class ApeShell < Formula
  desc "Login shell for AI agents: no command reaches bash before a grant covers it"
  homepage "https://example.org/ape-shell"
  url "https://example.org/ape-shell-0.1.0.tgz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "bash"
  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink Dir["#{libexec}/bin/*"]
    share = libexec/"lib/node_modules/ape-shell/dist/share"
    man1.install_symlink Dir["#{share}/man/man1/*"]
    bash_completion.install_symlink share/"bash-completion/completions/apes"
    zsh_completion.install_symlink share/"zsh/site-functions/_apes"
    fish_completion.install_symlink share/"fish/vendor_completions.d/apes.fish"
  end

  def caveats
    <<~TEXT
      Before `brew uninstall`, call `apes shell uninstall --user NAME` for each account with ape-shell as its login shell.
      Otherwise no person can log in to these accounts.
    TEXT
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ape-shell --version")
  end
end
