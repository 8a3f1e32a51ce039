import { openMemoryStore } from './memory-store.ts';
import { describeStore } from './store-suite.ts';

describeStore('memory', async () => ({ stores: [openMemoryStore()], close: async () => {} }));
