import fs from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A new folder that is removed when the test ends. */
export function tempFolder(t: TestContext, parent = fs.realpathSync(os.tmpdir())): string {
  const path = fs.mkdtempSync(join(parent, 'bucketry-local-'))
  t.after(() => fs.rmSync(path, { recursive: true, force: true }))
  return path
}
