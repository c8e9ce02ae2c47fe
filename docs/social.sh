#!/bin/sh
# Makes docs/images/social.png, which web sites show with a link to limber: docs/social.sh [FILE]. A dog jumps in the
# preset cartoon; chromium puts its frames and the words together.
set -eu
cd "$(dirname "$0")/.."
limber=${LIMBER:-build/limber}
out=${1:-docs/images/social.png}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
$limber sample dog -o "$work/dog.glb"
for frame in 13 20 26 39; do
    $limber render "$work/dog.glb" --clip jump --frame $frame --style cartoon --yaw -50 --ink --no-follow --transparent \
        --no-ground --size 1080x840 --quiet -o "$work/$frame.png"
done
cat >"$work/page.html" <<'HTML'
<!doctype html>
<meta charset="utf-8">
<style>
  body { margin: 0; width: 1280px; height: 640px; overflow: hidden; position: relative; font-family: sans-serif;
    background: linear-gradient(#fff4d6 0 69%, #f3c876 69%); color: #3a2413; }
  h1 { position: absolute; left: 64px; top: 30px; margin: 0; font-size: 112px; letter-spacing: -4px; }
  p { position: absolute; left: 72px; top: 164px; margin: 0; font-size: 35px; }
  img { position: absolute; width: 713px; }
  i { position: absolute; width: 230px; height: 26px; border-radius: 50%; background: #3a241330; filter: blur(6px); }
</style>
<h1>limber</h1>
<p>Cartoon motion for rigged characters</p>
<i style="left:60px; top:572px"></i><i style="left:290px; top:574px; width:150px"></i>
<i style="left:615px; top:580px; opacity:.6"></i><i style="left:925px; top:578px; width:300px"></i>
<img src="13.png" style="left:-64px; top:135px"><img src="20.png" style="left:209px; top:163px">
<img src="26.png" style="left:488px; top:84px"><img src="39.png" style="left:628px; top:67px">
HTML
"${CHROMIUM:-chromium}" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
    --user-data-dir="$work/profile" --hide-scrollbars --window-size=1280,800 --screenshot="$work/shot.png" \
    "file://$work/page.html" >/dev/null 2>&1
# Fewer colors: half the size, and nobody sees it.
ffmpeg -loglevel error -y -i "$work/shot.png" -vf "crop=1280:640:0:0,split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=dither=sierra2_4a" "$out"
