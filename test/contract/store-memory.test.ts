/** The memory store keeps the promises of the store suite. */
import { openMemoryStore } from './memory-store.ts';
import { describeStore } from './store-suite.ts';

describeStore('memory', async () => ({ stores: [openMemoryStore()], close: async () => {} }));
