// The characters that come with the studio.
export const CHARACTERS = [
  'toon',
  'hero',
  'dog',
  'cow',
  'horse',
  'dancer',
  'giraffe',
  'flower',
  'snail',
  'ball',
  'cylinder',
] as const;
/** The clip that best shows what the studio is for. */
export const FIRST_CLIP: Record<string, string> = { cow: 'headshake-stop', dancer: 'twirl' };
