// How WebGPURenderer draws limber.
import type { Technique } from './material.js';
import { NODE_MATERIALS } from './nodes.js';
import { NODE_PASSES } from './pass_nodes.js';

export const NODES: Technique = { ...NODE_MATERIALS, passes: NODE_PASSES };
