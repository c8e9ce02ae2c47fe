// All tools in the order of the toolbar. The studio starts with the first.
import { exportTool } from './export';
import { holdTool } from './hold';
import { jointsTool } from './joints';
import { paintTool } from './paint';
import { puppetTool } from './puppet';
import { selectTool } from './select';
import { skeletonTool } from './skeleton';
import { smearsTool } from './smears';
import { whatIfTool } from './what_if';
import type { App } from '../app';
import type { Tool } from './tool';

export const TOOLS: readonly Tool<App>[] = [
  selectTool,
  paintTool,
  jointsTool,
  holdTool,
  whatIfTool,
  smearsTool,
  puppetTool,
  skeletonTool,
  exportTool,
];
