import { openMemoryStore } from '../../src/store/memory-store.ts';
import { describeStore } from './store-suite.ts';

describeStore('memory', async () => ({ stores: [openMemoryStore()], close: async () => {} }));
