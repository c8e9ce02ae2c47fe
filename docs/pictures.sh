#!/bin/sh
# Makes the pictures of the documentation again: docs/pictures.sh [FOLDER]. Each effect is shown alone.
set -eu
cd "$(dirname "$0")/.."
limber=${LIMBER:-build/limber}
out=${1:-docs/images}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
for character in ball bird cow cylinder dancer dog dragon flower giraffe hero horse pole snail toon; do
    $limber sample $character -o "$work/$character.glb"
done

sheet() { # NAME CHARACTER CLIP RANGE OPTIONS...
    name=$1 character=$2 clip=$3 range=$4
    shift 4
    $limber render "$work/$character.glb" --clip "$clip" --range "$range" --sheet 5 --even --compare --size 256x256 "$@" -o "$out/$name.png"
}

sheet floppy giraffe neck-swing-stop 0.3:1.7 --set effects.floppy.angular=0.35 --set effects.floppy.max_bend=60
sheet squash ball bounce 0:0.9 --set effects.squash.linear=0.35
sheet drag flower whip-stop 0.7:1.2 --set effects.drag.angular=0.02 --set effects.drag.max_bend=60 \
    --set effects.drag.filter.type=lowpass --set effects.drag.filter.gamma=0.3
sheet followthrough flower whip-stop 0.95:1.6 --set effects.followthrough.angular=0.006 --set effects.followthrough.max_bend=40 \
    --set effects.followthrough.filter.type=spring
sheet stretch dancer spin 0:1 --set effects.stretch.angular=0.004 --set effects.stretch.layer=skirt
sheet lift dancer twirl 0.8:2 --style skirt
sheet lift-cones dancer twirl 0.8:2 --set 'effects.lift.angular=0.16 / (1 + 0.6 * speed * speed)' \
    --set 'effects.lift.cone.joints=["Skirt", "Ponytail1 > Ponytail5"]'
sheet hose toon run 0:0.4 --set effects.hose.gain=1 --yaw 60
sheet derivative flower whip-stop 0.8:1.33 --set effects.derivative.angular=0.0006 --set effects.derivative.max_bend=50 \
    --set effects.derivative.filter.type=lowpass --set effects.derivative.filter.gamma=0.3
$limber apply "$work/flower.glb" --clip whip-stop --bake vertex --fps 30 --quiet -o "$work/shapes.glb"
sheet morphs shapes whip-stop 0.8:1.33 --set morphs.drag=0.04 --set morphs.squash=0.15 --set morphs.max=0.2

# What the first example for Python plots.
if [ -f build/liblimber.so ] && /usr/bin/python3 -c "import numpy, matplotlib" 2>/dev/null; then
    PYTHONPATH=python LIMBER_LIBRARY=build/liblimber.so /usr/bin/python3 python/examples/plot_motion.py \
        "$work/dog.glb" --clip jump -o "$out/python-motion.png"
fi

# The first thing one sees of limber: under 0.9 MB, and it loops.
$limber render "$work/dog.glb" --clip jump --style cartoon --yaw 50 --ink --compare \
    --fps 24 --size 480x480 -o "$out/first.webp"

$limber render "$work/cow.glb" --clip jump --style cartoon --ink --compare --fps 24 --size 280x280 -o "$out/jump.webp"

# One jump on two characters.
$limber render "$work/hero.glb" --clip jump --range 0.6:1.9 --sheet 5 --even --size 200x200 -o "$work/hero-jump.png"
$limber render "$work/toon.glb" --motion "$work/hero.glb#jump@0.6:1.9" --sheet 5 --even --size 200x200 -o "$work/toon-jump.png"
ffmpeg -loglevel error -y -i "$work/hero-jump.png" -i "$work/toon-jump.png" -filter_complex vstack "$out/retarget.png"

# The ground and the world.
film() { # NAME CHARACTER CLIP OPTIONS...
    name=$1 character=$2 clip=$3
    shift 3
    $limber render "$work/$character.glb" --clip "$clip" --fps 20 --size 240x240 "$@" -o "$out/$name.webp"
}
film ground-contacts toon run --style cartoon --view contacts
film ground-impact ball bounce --style cartoon --compare
film ground-wind flower sway --style cartoon --compare \
    --set 'wind=["0.6 * sin(6.2832 * phase) + 0.4 * noise(cos(6.2832 * phase), sin(6.2832 * phase))", 0, 0.2]'

# A style that was found: plain, wanted, fitted.
$limber apply "$work/flower.glb" --clip whip-stop --style jelly --quiet -o "$work/wanted.glb"
$limber fit "$work/flower.glb" "$work/wanted.glb" --clip whip-stop --effects overlap --quiet -o "$work/fitted.json"
fitted() { # ROW FILE OPTIONS...
    row=$1 file=$2
    shift 2
    $limber render "$file" --clip whip-stop --range 0.98:1.42 --sheet 3 --even --size 200x200 "$@" -o "$work/fit-$row.png"
}
fitted plain "$work/flower.glb"
fitted wanted "$work/wanted.glb"
fitted found "$work/flower.glb" --style "$work/fitted.json"
ffmpeg -loglevel error -y -i "$work/fit-plain.png" -i "$work/fit-wanted.png" -i "$work/fit-found.png" -filter_complex vstack=3 \
    "$out/fit.png"

# The same with a layer: plain, wanted, without --layer, with it.
$limber apply "$work/dancer.glb" --clip twirl --set 'effects.floppy.angular=0.35 * paint.skirt' --set effects.floppy.max_bend=60 \
    --no-normals --quiet -o "$work/wanted.glb"
layered() { # NUMBER FILE OPTIONS...
    number=$1 file=$2
    shift 2
    $limber render "$file" --clip twirl --size 260x280 --yaw 20 --frame 48 --range 1.5:1.7 --quiet "$@" -o "$work/layer-$number.png"
}
for layer in "" "--layer skirt"; do
    $limber fit "$work/dancer.glb" "$work/wanted.glb" --clip twirl --effects floppy,squash $layer --set effects.floppy.max_bend=60 \
        --quiet -o "$work/fitted${layer:+-layer}.json"
done
layered 0 "$work/dancer.glb"
layered 1 "$work/wanted.glb"
layered 2 "$work/dancer.glb" --style "$work/fitted.json"
layered 3 "$work/dancer.glb" --style "$work/fitted-layer.json"
ffmpeg -loglevel error -y -i "$work/layer-0.png" -i "$work/layer-1.png" -i "$work/layer-2.png" -i "$work/layer-3.png" \
    -filter_complex hstack=4 "$out/fit-layer.png"

# The cast, two rows of five.
cast() { # CHARACTER CLIP FRAME RANGE
    $limber render "$work/$1.glb" --clip "$2" --frame "$3" --range "$4" --size 220x220 -o "$work/cast-$1.png"
}
cast toon swing 34 1.1:1.2
cast hero run 6 0.15:0.25
cast dog run 6 0.15:0.25
cast ball bounce 0 0:0.03
cast cow walk 0 0:0.1
cast giraffe walk 0 0:0.1
cast dancer leap 32 1.0:1.1
cast flower sway 0 0:0.1
cast snail crawl 0 0:0.1
cast cylinder bend 20 0.6:0.7
row() { # OUT CHARACTERS...
    to=$1
    shift
    inputs=""
    for character in "$@"; do inputs="$inputs -i $work/cast-$character.png"; done
    # shellcheck disable=SC2086
    ffmpeg -loglevel error -y $inputs -filter_complex "hstack=$#" "$to"
}
row "$work/row1.png" toon hero dog ball cow
row "$work/row2.png" giraffe dancer flower snail cylinder
ffmpeg -loglevel error -y -i "$work/row1.png" -i "$work/row2.png" -filter_complex vstack "$out/characters.png"
$limber render "$work/bird.glb" --clip flap --time 0.2 --style vs-floppy --set effects.floppy.linear=0.4 --yaw 20 --size 320x300 -o "$work/p1.png"
$limber render "$work/dragon.glb" --clip wag-stop --time 0 --yaw 28 --size 320x300 -o "$work/p2.png"
$limber render "$work/horse.glb" --clip kick --time 0 --yaw 40 --size 320x300 -o "$work/p3.png"
$limber render "$work/pole.glb" --clip bend-stop --time 1 --yaw 20 --size 320x300 --view joints -o "$work/p4.png"
ffmpeg -loglevel error -y -i "$work/p1.png" -i "$work/p2.png" -i "$work/p3.png" -i "$work/p4.png" -filter_complex hstack=inputs=4 \
    -q:v 4 "$out/characters-papers.jpg"

# Ways to look at a character.
look() { # NAME CHARACTER CLIP FRAME RANGE OPTIONS...
    name=$1 character=$2 clip=$3 frame=$4 range=$5
    shift 5
    $limber render "$work/$character.glb" --clip "$clip" --frame "$frame" --range "$range" --size 320x240 "$@" -o "$out/$name.png"
}
look look-ink dancer twirl 40 1.2:1.6 --style skirt --ink
look look-onion flower whip-stop 31 0.9:1.2 --onion 3 --onion-step 3 --ink
look view-joints dancer leap 30 0.9:1.1 --style skirt --view joints,velocity
look view-offsets cow charge-and-stop 60 1.9:2.1 --view offsets
look view-colliders hero run 8 0.1:0.5 --style cartoon --set colliders=auto --view colliders
look view-rigid cow jump 20 0.1:0.8 --view rigid
look view-trajectories giraffe neck-swing-stop 36 1:1.4 --style cartoon --view trajectories --ink

layer() { # CHARACTER AUTO
    $limber paint "$work/$1.glb" -o "$work/painted.glb" --layer "${2%%:*}" --auto "$2" --quiet
    $limber render "$work/painted.glb" --view "layers:${2%%:*}" --range 0:0.1 --size 180x180 -o "$out/layers-$1-${2%%:*}.png"
}
layer cow thickness
layer cow height
layer cow joint:Head
layer giraffe thickness
layer dancer thickness

# Smears: one moment in three styles.
smear() { # NAME FILE CLIP FRAME RANGE OPTIONS...
    name=$1 file=$2 clip=$3 frame=$4 range=$5
    shift 5
    three() { # STYLE OPTIONS...
        style=$1
        shift
        $limber render "$file" --clip "$clip" --frame "$frame" --range "$range" --size 320x240 "$@" -o "$out/smear-$name-$style.png"
    }
    three plain "$@"
    three elongated "$@" --set smear.elongate.amount='3 * min(offset, 0) + max(offset, 0)'
    three multiples "$@" --set smear.multiples.past=4 --set smear.multiples.future=1 --set smear.multiples.overlap=3 --set smear.multiples.min_speed=0.015
    three lines "$@" --set smear.lines.count=120 --set smear.lines.length='6 * min(offset, 0)' --set smear.lines.gap=0.4
}
smear ball "$work/ball.glb" dash-stop 29 0.87:1.07 --yaw 90 --set joints.Ball.ignore_spin=true
"$(dirname "$limber")/examples/beach_ball" "$work/beach.glb"
spin() { # NAME OPTIONS...
    name=$1
    shift
    $limber render "$work/beach.glb" --frame 21 --range 0.63:0.77 --yaw 70 --size 320x240 "$@" -o "$out/smear-spin-$name.png"
}
stretched="--set smear.elongate.amount=speed --set smear.elongate.past=14 --set smear.elongate.future=4"
spin plain
spin shape $stretched
spin texture $stretched --set smear.spin=texture
smear stick "$work/cylinder.glb" stop 26 0.8:0.93 --yaw 90 --set smear.offsets.prune=Bend2,Bend3,Bend4
smear cow "$work/cow.glb" charge-and-stop 66 2.1:2.3 --yaw 75
for preset in smear drybrush; do
    look "preset-$preset-ball" ball dash-stop 31 0.97:1.07 --yaw 90 --style "$preset"
    look "preset-$preset-toon" toon swing 29 0.93:1.07 --style "$preset"
done
smear_film() { # CHARACTER CLIP RANGE OPTIONS...
    character=$1 clip=$2 range=$3
    shift 3
    $limber render "$work/$character.glb" --clip "$clip" --range "$range" --fps 24 --size 240x200 --style smear "$@" \
        -o "$out/smear-film-$character.webp"
}
smear_film toon swing 0.7:1.4
smear_film ball dash-stop 0.7:1.5 --yaw 90
smear_film cow charge-and-stop 1.7:2.6 --yaw 70
smear_film dog jump 0.6:1.5 --yaw 60
smear_film hero jump 0.8:1.9

# Stills through Blender, by the add-on's own operators; the screenshots in docs/blender.md are taken by hand.
if command -v blender >/dev/null; then
    LIMBER=$limber blender -b --factory-startup --python-exit-code 7 --python docs/blender_stills.py -- "$out" >/dev/null
fi

# Motion capture comes from outside: cmu_*.bvh in the folder that LIMBER_TEST_ASSETS names.
[ -n "${LIMBER_TEST_ASSETS:-}" ] || exit 0
capture() { # NAME FILE RANGE OPTIONS...
    name=$1 file=$2 range=$3
    shift 3
    $limber render "$LIMBER_TEST_ASSETS/$file.bvh" --range "$range" --sheet 6 --compare --size 200x240 --style mocap-toon "$@" -o "$out/$name.png"
}
capture exaggerate-run cmu_09_01 0.3:1.1 --yaw 60
capture exaggerate-kick cmu_88_06 0.4:1 --yaw 60
capture exaggerate-basketball cmu_06_15 2.3:3.5
smear robot "$LIMBER_TEST_ASSETS/RobotExpressive.glb" Punch 6 0.08:0.38 --yaw 40 --set smear.offsets.prune='Palm*,Thumb*,Middle*,Ring*,Index*'
outside() { # NAME FILE CLIP RANGE OPTIONS...
    name=$1 file=$2 clip=$3 range=$4
    shift 4
    $limber render "$LIMBER_TEST_ASSETS/more/$file.glb" --clip "$clip" --range "$range" --sheet 4 --even --compare --size 220x220 \
        --style cartoon "$@" -o "$out/$name.png"
}
outside rigid-swing Mage Running_A 0:0.7 --yaw 100
outside rigs-paws Wolf 'AnimalArmature|Attack' 0.2:0.8 --yaw 70
outside rigs-fish Puffer 'Fish_Armature|Attack' 0:0.6 --yaw 60
outside rigs-riders Snake 'SnakeArmature|Snake_Attack' 0.2:0.45 --yaw 50

# The best and the worst, on characters that were not made for limber.
seen() { # NAME FILE CLIP STYLE OPTIONS...
    name=$1 file=$2 clip=$3 style=$4
    shift 4
    $limber render "$LIMBER_TEST_ASSETS/$file.glb" --clip "$clip" --style "$style" --sheet 5 --compare --size 150x170 "$@" -o "$out/$name.png"
}
seen best-snake more/Snake 'SnakeArmature|Snake_Jump' jelly --yaw 50
seen best-wolf more/Wolf 'AnimalArmature|Attack' cartoon --yaw 60
seen best-robot RobotExpressive Jump cartoon --yaw 40
seen best-spin more/Mage 2H_Melee_Attack_Spinning cartoon
seen worst-rise more/Mage Lie_StandUp rubberhose --yaw 50
seen worst-idle RobotExpressive Idle cartoon
seen worst-staff more/Mage 1H_Melee_Attack_Slice_Diagonal jelly

# The second picture of the README: four of them side by side, under 0.5 MB.
films=
stranger() { # FILE CLIP STYLE YAW
    $limber render "$LIMBER_TEST_ASSETS/$1.glb" --clip "$2" --style "$3" --yaw "$4" --fps 20 --size 200x200 --ink -o "$work/stranger-$2.mp4"
    films="$films -stream_loop -1 -i $work/stranger-$2.mp4"
}
stranger RobotExpressive Jump cartoon 40
stranger more/Wolf 'AnimalArmature|Attack' cartoon 60
stranger more/Mage 2H_Melee_Attack_Chop cartoon 30
stranger more/Snake 'SnakeArmature|Snake_Jump' jelly 50
# shellcheck disable=SC2086
ffmpeg -loglevel error -y $films -filter_complex hstack=4,fps=15 -t 3.27 -loop 0 -quality 55 "$out/strangers.webp"

# Twelve principles, on characters that were not made for limber.
principle() { # NAME FILE CLIP OPTIONS...
    name=$1 file=$2 clip=$3
    shift 3
    $limber render "$LIMBER_TEST_ASSETS/$file.glb" --clip "$clip" --fps 20 --size 200x200 --compare "$@" -o "$out/principle-$name.webp"
}
principle squash RobotExpressive Jump --style cartoon --yaw 60
principle anticipation more/Mage 1H_Melee_Attack_Slice_Horizontal --style mocap-toon
principle follow-through more/Mage Running_A --style cartoon --yaw 70
principle slow-in more/Mage 2H_Melee_Attack_Chop --style snappy
principle arcs more/Snake 'SnakeArmature|Snake_Walk' --style rubberhose --yaw 40 --pitch 25
principle secondary more/Mage Jump_Full_Short --style cartoon --yaw 60
principle timing RobotExpressive Punch --style mocap-toon --set timing.step=2
principle exaggeration more/Wolf 'AnimalArmature|Attack' --style cartoon --yaw 60
principle solid RobotExpressive Walking --style cartoon --yaw 50

# One dance on five characters, as a film and as a sheet. The motion is a download of Mixamo, in the folder more.
if [ -f "$LIMBER_TEST_ASSETS/more/SambaDancing.fbx" ]; then
    films= rows= count=0
    dance() { # CHARACTER OPTIONS...
        character=$1
        shift
        count=$((count + 1))
        set -- "$character" --motion "$LIMBER_TEST_ASSETS/more/SambaDancing.fbx@1:3.5" --style mocap-toon "$@"
        $limber render "$@" --fps 15 --size 140x180 -o "$work/dance$count.mp4"
        $limber render "$@" --sheet 4 --even --size 150x190 -o "$work/dance$count.png"
        films="$films -i $work/dance$count.mp4"
        rows="$rows -i $work/dance$count.png"
    }
    dance "$work/hero.glb"
    dance "$work/toon.glb"
    dance "$work/dancer.glb"
    dance "$LIMBER_TEST_ASSETS/more/Soldier.glb" --yaw 180
    dance "$LIMBER_TEST_ASSETS/RobotExpressive.glb"
    # shellcheck disable=SC2086
    ffmpeg -loglevel error -y $films -filter_complex hstack=5 -loop 0 -quality 60 "$out/retarget-dance.webp"
    # shellcheck disable=SC2086
    ffmpeg -loglevel error -y $rows -filter_complex vstack=5 "$out/retarget-dance.png"
fi
