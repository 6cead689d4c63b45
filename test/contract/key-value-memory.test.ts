import { MemoryKeyValueStore } from '../fakes/memory-key-value.ts'
import { describeKeyValueStore } from './key-value-contract.ts'

// The unit tests of the login depend on it.
describeKeyValueStore('Memory', async () => {
  const store = new MemoryKeyValueStore(Date.now)
  return { one: store, other: store, close: () => store.close() }
})
