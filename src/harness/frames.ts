/**
 * Plugins use this code for the frames of our private sockets. A plugin is a single file: the build bundles this file with its imports, and
 * `plugin-text.ts` puts the bundle into the plugin.
 */
export { FrameDecoder } from '../platform/frame-decoder.ts';
export { encodeFrame } from '../platform/frames.ts';
