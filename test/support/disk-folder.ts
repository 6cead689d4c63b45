import fs from 'node:fs'

/**
 * Where tests that are about disks make their folders. os.tmpdir() may be memory (run-tests.ts does
 * so), whereas this is a disk on all but few machines (file-hierarchy(7)).
 */
export const diskFolder = fs.realpathSync('/var/tmp')
