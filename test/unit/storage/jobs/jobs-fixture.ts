import { thisProcess } from '../../../../src/platform/process/identity.ts'
import type { Log } from '../../../../src/platform/process/log.ts'
import type { Database } from '../../../../src/platform/state/database.ts'
import { DatabaseLeases } from '../../../../src/storage/drives/kit/key-lease-table.ts'
import { KeyLeases } from '../../../../src/storage/drives/kit/key-leases.ts'
import { JobRunner } from '../../../../src/storage/jobs/job-runner.ts'
import { type JobRow, JobTable } from '../../../../src/storage/jobs/job-table.ts'
import { silentLog } from '../../../support/silent-log.ts'
import type { Ending } from '../../dashboard/management/management-fixture.ts'

/** The lease owner of a process that has ended. */
export const deadOwner = `${thisProcess.split('/')[0]}/999999999/1 word`
/** That of a process on another host, of which nothing is known. */
export const silentOwner = 'elsewhere/1/1 word'

export interface Clock {
  now: number
}

/** Jobs in a database, as several processes have them. */
export function openJobs(t: Ending, database: Database, clock: Clock, log: Log = silentLog) {
  const table = new JobTable(database)
  const leaseTable = new DatabaseLeases(database, '/jobs')
  const now = () => clock.now
  const process = () => {
    const leases = new KeyLeases({ table: leaseTable, now })
    const jobs = new JobRunner({ table, leases, now, log })
    t.after(() => jobs.close())
    return jobs
  }
  const keyOf = ({ kind, id }: Pick<JobRow, 'kind' | 'id'>) => `${kind}/${id}`
  return {
    ...{ table, process },
    /** The lease of a job. */
    async lease(name: Pick<JobRow, 'kind' | 'id'>) {
      return (await leaseTable.look([keyOf(name)], [])).leases[0]
    },
    /** Another process takes the lease of a job, and its row. */
    async take(
      { kind, id, ...row }: Pick<JobRow, 'kind' | 'id' | 'owner'> & Partial<JobRow>,
      untilMs: number,
    ): Promise<void> {
      const key = keyOf({ kind, id })
      const claim = { owner: row.owner, untilMs, note: '' }
      await leaseTable.take([key], claim, (await leaseTable.look([key], [])).leases)
      const job = { kind, id, target: '', figures: '{}', beganAtMs: clock.now, ...row }
      await table.take(job, await table.find({ kind, id }))
    },
  }
}
