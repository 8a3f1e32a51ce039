/**
 * The frames of our private sockets, for plugins. A plugin is a single file, so the build makes one text of this file and what it imports, and
 * `plugin-text.ts` puts this text into the plugin.
 */
export { FrameDecoder } from '../platform/frame-decoder.ts';
export { encodeFrame } from '../platform/frames.ts';
