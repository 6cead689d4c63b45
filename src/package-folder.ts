import { findPackageJSON } from 'node:module'
import { dirname } from 'node:path'

/**
 * The folder of package.json. Files that are read at run time are found from here, because a built
 * server is one folder of chunks and not the tree of src/.
 */
export const packageFolder = dirname(findPackageJSON(import.meta.url) ?? import.meta.dirname)
