// All tools, in the order of the toolbar. The first is the one that the studio starts with.
import { selectTool } from './select';
import type { Tool } from './tool';

export const TOOLS: readonly Tool[] = [selectTool];
