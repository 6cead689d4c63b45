import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { packageFolder } from './package-folder.ts'

/**
 * Imported early, for its effect: stripped and compiled modules are read from a cache, which halves
 * the start of a process (measured: 390 to 180 ms, with two workers 900 to 440). Beside the
 * packages, not in the shared temporary folder, where others could plant code. If that folder cannot
 * be written, Node runs without a cache.
 */
enableCompileCache(join(packageFolder, 'node_modules/.cache/bucketry'))
