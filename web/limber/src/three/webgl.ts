// How WebGLRenderer draws limber.
import { checkRenderer, standIn } from './material.js';
import type { Technique } from './material.js';
import { WEBGL_PASSES } from './pass_webgl.js';

export const WEBGL: Technique = { standIn, checkRenderer, shadows: true, passes: WEBGL_PASSES };
