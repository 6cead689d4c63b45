import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { describeKeyLeases } from './key-leases-contract.ts'

const folder = await mkdtemp(join(tmpdir(), 'bucketry-leases-'))
after(() => rm(folder, { recursive: true }))

describeKeyLeases('SQLite', async () => ({ kind: 'sqlite', path: join(folder, 'bucketry.db') }))
