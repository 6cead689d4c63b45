import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

/**
 * Imported early, for its effect: modules that were stripped and compiled once are read from a
 * cache, which halves the start of a process (measured: 390 to 180 ms, with two workers 900 to
 * 440). Beside the packages, not in the shared temporary folder, where others could plant code.
 * Where that folder can't be written, Node goes on without a cache.
 */
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/bucketry'))
