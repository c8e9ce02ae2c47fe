// A style as code to paste: for three.js, for C, and for the command line.
import type { Style } from 'limber/engine';

/** What is shown: the file, the clip by name, the style. */
export interface Shown {
  file: string;
  clip: string;
  style: Style;
}

const quoted = (text: string): string => JSON.stringify(text);

/** A page of three.js that plays it. */
export function threeCode({ file, clip, style }: Shown): string {
  const text = JSON.stringify(style, null, 2);
  return `import { limber } from 'limber/three';
import { AnimationClip, AnimationMixer } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const style = ${text};

const gltf = await new GLTFLoader().loadAsync(${quoted(file)});
const toon = await limber(gltf.scene, style, { clips: gltf.animations });
const mixer = new AnimationMixer(gltf.scene);
mixer.clipAction(AnimationClip.findByName(gltf.animations, ${quoted(clip)})).play();
scene.add(gltf.scene);

// in every frame:
mixer.update(dt);
toon.update(dt);
`;
}

/** Text as a C string, a line of it per line. */
const cString = (text: string): string =>
  text
    .split('\n')
    .map((line) => `    ${quoted(`${line}\n`)}`)
    .join('\n');

/** The same with the C library: a whole program. */
export function cCode({ file, clip, style }: Shown): string {
  return `#include <limber/limber.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
${cString(JSON.stringify(style, null, 2))};

int main(void) {
    limber_gltf* gltf = NULL;
    limber_style* style = NULL;
    limber_pipeline* pipeline = NULL;
    limber_frame frame;
    limber_error error;
    if (limber_gltf_load_file(${quoted(file)}, NULL, &gltf, &error) != LIMBER_OK ||
        limber_style_create(&style, &error) != LIMBER_OK ||
        limber_style_read(style, text, strlen(text), &error) != LIMBER_OK ||
        limber_pipeline_create(limber_gltf_asset(gltf), style, &pipeline, &error) != LIMBER_OK) {
        fprintf(stderr, "%s: %s\\n", error.place, error.message);
        return 1;
    }
    int32_t clip = limber_model_find_clip(limber_asset_model(limber_gltf_asset(gltf)), ${quoted(clip)});
    if (limber_pipeline_evaluate(pipeline, clip, 0.5, &frame) == LIMBER_OK) // at half a second
        printf("%g %g %g\\n", (double)frame.positions[0], (double)frame.positions[1], (double)frame.positions[2]);
    limber_pipeline_destroy(pipeline);
    limber_style_destroy(style);
    limber_gltf_destroy(gltf);
    return 0;
}
`;
}

/** The program: the style goes into a file first. */
export const commandCode = ({ file, style }: Shown): string =>
  `cat > style.json <<'END'\n${JSON.stringify(style, null, 2)}\nEND\nlimber apply ${quoted(file)} --style style.json -o cartoon.glb\n`;
