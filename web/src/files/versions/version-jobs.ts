import { formatAmount } from '../../format/bytes.ts'
import type { Entry } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'
import { deleteObjects } from '../s3/bucket-client.ts'
import { maxDeletions, type VersionName } from '../s3/delete-xml.ts'
import { allVersions } from '../s3/version-client.ts'
import type { JobOrder, JobReport } from '../transfers/job-list.ts'
import { driveChanges } from '../transfers/transfers.ts'
import { batches, markersAbove, ofDeleted } from './deleted-versions.ts'

/** Restores a deleted file, or all deleted files of a folder, by removing their delete markers. */
export function restoreDeletedJob(bucket: string, entry: Entry, onEnd: () => void): JobOrder {
  return {
    title: `Restoring ${visibleName(entry.name)}`,
    async work(report) {
      const markers = markersAbove(versionsOf(bucket, entry, report.signal))
      const restored = await removeVersions(bucket, markers, report).finally(onEnd)
      driveChanges.publishBack(bucket, entry)
      return outcome(restored, 'restored', report)
    },
  }
}

/** Permanently deletes all versions of a deleted file, or of all deleted files of a folder. */
export function eraseDeletedJob(bucket: string, entry: Entry, onEnd: () => void): JobOrder {
  return {
    title: `Deleting ${visibleName(entry.name)} permanently`,
    async work(report) {
      const versions = ofDeleted(versionsOf(bucket, entry, report.signal))
      const erased = await removeVersions(bucket, versions, report).finally(onEnd)
      return outcome(erased, 'deleted permanently', report)
    },
  }
}

/** Undoes a deletion that created these markers, which leaves what was deleted before. */
export function undeleteJob(
  title: string,
  bucket: string,
  markers: readonly VersionName[],
  entries: readonly Entry[],
): JobOrder {
  return {
    title,
    async work(report) {
      const restored = await removeVersions(bucket, markers, report)
      for (const entry of entries) driveChanges.publishBack(bucket, entry)
      return outcome(restored, 'restored', report)
    },
  }
}

async function* versionsOf(bucket: string, { kind, key }: Entry, signal: AbortSignal) {
  for await (const version of allVersions(bucket, key, signal)) {
    // Keys that begin with the key of a file follow it.
    if (kind === 'file' && version.key !== key) return
    yield version
  }
}

/** Returns the number of objects. */
async function removeVersions(
  bucket: string,
  versions: AsyncIterable<VersionName> | Iterable<VersionName>,
  report: JobReport,
): Promise<number> {
  const changed = new Set<string>()
  for await (const batch of batches(versions, maxDeletions)) {
    if (report.signal.aborted) break
    const failures = await deleteObjects(bucket, batch)
    for (const { key, message } of failures) report.problem(`${visibleName(key)}: ${message}`)
    const failed = new Set(failures.map(({ key }) => key))
    for (const { key } of batch) if (!failed.has(key)) changed.add(key)
    report.progress(changed.size, undefined)
  }
  return changed.size
}

function outcome(objects: number, done: string, { signal }: JobReport): string {
  const count = `${formatAmount(objects, 'object')} ${done}.`
  return signal.aborted ? `Stopped. ${count}` : count
}
