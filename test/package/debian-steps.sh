# Runs as root on an overlay of this machine: the steps of an administrator with the package. Prints a line `== NAME` before the
# output of each step. $1: the package, $2: the same package with a later version.
step() { printf '\n== %s\n' "$1"; shift; "$@" 2>&1; printf 'status %s\n' "$?"; }
# Triggers of other packages are not tested; man-db would read every page of the machine.
listed() { grep -c '^/usr/bin/ape-shell$' /etc/shells; }
login() { timeout 60 su - gated-agent -c 'echo must not be printed'; }

useradd -m -s /bin/bash gated-agent
cp /etc/shells /tmp/shells-before

step install dpkg --no-triggers -i "$1"
step depends dpkg-query -W -f '${Depends}\n' ape-shell
step version /usr/bin/ape-shell --version
step listed listed
step server-user getent passwd ape-shell
chsh -s /usr/bin/ape-shell gated-agent
step login login

step upgrade dpkg --no-triggers -i "$2"
step upgraded-version dpkg-query -W -f '${Version} ${Status}' ape-shell
step listed-once listed
step login-after-upgrade login

ln -s /usr/bin/ape-shell /usr/local/bin/another-name
for shell in /usr/bin/ape-shell /bin/ape-shell /usr/lib/ape-shell/dist/bin/ape-shell /usr/local/bin/another-name; do
  usermod -s "$shell" gated-agent
  step "remove $shell" dpkg --no-triggers -r ape-shell
  step "purge $shell" dpkg --no-triggers -P ape-shell
done

# Simulates a machine whose directory of accounts is not reachable.
usermod -s /bin/bash gated-agent
mv /usr/bin/getent /usr/bin/getent.kept && printf '#!/bin/sh\nexit 2\n' > /usr/bin/getent && chmod 755 /usr/bin/getent
step remove-unlisted dpkg --no-triggers -r ape-shell
mv /usr/bin/getent.kept /usr/bin/getent
usermod -s /usr/bin/ape-shell gated-agent

step still-installed dpkg-query -W -f '${Status}' ape-shell
step login-after-refusals login

usermod -s /bin/bash gated-agent
mkdir -p /var/lib/ape-shell-server && touch /var/lib/ape-shell-server/record
step remove dpkg --no-triggers -r ape-shell
step record-is-kept ls /var/lib/ape-shell-server
step shells-as-before cmp /etc/shells /tmp/shells-before
step programs-left find /usr/bin /usr/lib/ape-shell /usr/share/man /usr/share/bash-completion /usr/lib/systemd -name 'ape*' -path '*ape*'

step install-again dpkg --no-triggers -i "$1"
step purge dpkg --no-triggers -P ape-shell
step purged-record ls /var/lib/ape-shell-server
step purged-user getent passwd ape-shell
