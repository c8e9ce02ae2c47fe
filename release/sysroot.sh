#!/usr/bin/env bash
# Unpacks Debian packages of another architecture, and all that they depend on, into a folder to cross-compile against:
# sysroot.sh ARCHITECTURE FOLDER PACKAGE...
# The system stays as it is: apt gets lists, a cache and a list of installed packages of its own, and nothing is
# configured. FOLDER/var/lib/dpkg says what is inside, for dpkg-query --admindir.
set -euo pipefail
arch=$1 packages=("${@:3}")
mkdir -p "$2"
root=$(cd "$2" && pwd)
wanted="$arch ${packages[*]}"
[ "$(cat "$root/made" 2>/dev/null || true)" = "$wanted" ] && exit

rm -rf "$root"
state=$root/apt dpkg=$root/var/lib/dpkg
mkdir -p "$state"/{lists,cache/archives}/partial "$dpkg/info" "$root"/usr/{bin,sbin,lib}
for folder in bin sbin lib; do ln -s usr/$folder "$root/$folder"; done
: >"$state/none"
# A file: on the command line, "APT::Architectures" could only be added to.
cat >"$state/apt.conf" <<TEXT
#clear APT::Architectures;
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Dir::State "$state";
Dir::State::status "$state/none";
Dir::Cache "$state/cache";
TEXT
export APT_CONFIG=$state/apt.conf DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --download-only "${packages[@]}" >/dev/null

for deb in "$state"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink --no-same-owner -C "$root"
    name=$(dpkg-deb -f "$deb" Package)
    [ "$(dpkg-deb -f "$deb" Multi-Arch)" != same ] || name=$name:$arch
    dpkg-deb --fsys-tarfile "$deb" | tar -t | sed 's|^\.||; s|/$||; s|^$|/.|' >"$dpkg/info/$name.list"
    { dpkg-deb -f "$deb" Package; dpkg-deb -f "$deb"; } | sed '1s/^/Package: /; 2,${/^Package: /d}; 1a Status: install ok installed' >>"$dpkg/status"
    echo >>"$dpkg/status"
done
echo "$arch" >"$dpkg/arch"
echo 1 >"$dpkg/info/format"
# Links to absolute places lead out of the folder.
find "$root/usr/lib" "$root/etc" -type l -lname '/*' -printf '%p %l\n' 2>/dev/null | while read -r link target; do
    [ ! -e "$root$target" ] || ln -sfnr "$root$target" "$link"
done
# Packages of CMake that name their files by absolute places. Not every set of packages has both folders.
{ grep -rlE '[":;>]/usr[/"]' "$root"/usr/lib/*/cmake "$root"/usr/share/cmake 2>/dev/null || true; } |
    xargs -r sed -Ei "s#([\":;>])/usr([/\"])#\1$root/usr\2#g"
rm -rf "$state"
echo "$wanted" >"$root/made"
