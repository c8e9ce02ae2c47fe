export * from './engine.js';
export * from './three.js';
