import type { Draft, Drive, PartDraft, UploadDrive } from '../../drives/drive.ts'
import type { EntryCursor } from '../../drives/listed-entry.ts'
import type { DriveCalls } from './drive-calls.ts'

/** A drive whose calls are counted, except for reading the bytes of an open object. */
export function countedDrive(drive: Drive, calls: DriveCalls): Drive {
  const { copy, removeFolder, quota, statistics, sweep } = drive
  return {
    kind: drive.kind,
    deletes: drive.deletes,
    readsAlone: drive.readsAlone ?? false,
    uploads: countedUploads(drive.uploads, calls),
    prepare: (buckets) => calls.count('prepare', drive.prepare(buckets)),
    addBucket: (bucket) => calls.count('addBucket', drive.addBucket(bucket)),
    removeBucket: (bucket) => calls.count('removeBucket', drive.removeBucket(bucket)),
    check: (access) => calls.count('check', drive.check(access)),
    bucketCreatedAtMs: (bucket) => calls.count('bucket', drive.bucketCreatedAtMs(bucket)),
    list: (bucket, query) => countedCursor(drive.list(bucket, query), calls),
    head: (bucket, key, options) => calls.count('head', drive.head(bucket, key, options)),
    open: (bucket, key, options) => calls.count('open', drive.open(bucket, key, options)),
    async draft(bucket, key, options) {
      return countedDraft(await calls.count('draft', drive.draft(bucket, key, options)), calls)
    },
    remove: (bucket, key, conditions) =>
      calls.count('remove', drive.remove(bucket, key, conditions)),
    close: () => drive.close(),
    ...(copy && { copy: (...given) => calls.count('copy', copy.apply(drive, given)) }),
    ...(removeFolder && {
      removeFolder: (...given) => calls.count('removeFolder', removeFolder.apply(drive, given)),
    }),
    ...(quota && { quota: () => calls.count('quota', quota.call(drive)) }),
    ...(sweep && { sweep: () => calls.count('sweep', sweep.call(drive)) }),
    ...(statistics && { statistics: () => statistics.call(drive) }),
  }
}

function countedCursor(cursor: EntryCursor, calls: DriveCalls): EntryCursor {
  return {
    next: (limit) => calls.count('list', cursor.next(limit)),
    seek: (key) => cursor.seek(key),
  }
}

function countedDraft(draft: Draft, calls: DriveCalls): Draft {
  return {
    write: (chunk) => calls.count('write', draft.write(chunk)),
    publish: (...given) => calls.count('publish', draft.publish(...given)),
    discard: () => draft.discard(),
  }
}

function countedPart(draft: PartDraft, calls: DriveCalls): PartDraft {
  return {
    write: (chunk) => calls.count('write', draft.write(chunk)),
    commit: () => calls.count('commitPart', draft.commit()),
    discard: () => draft.discard(),
  }
}

function countedUploads(uploads: UploadDrive, calls: DriveCalls): UploadDrive {
  const { takeOver } = uploads
  return {
    ...(takeOver && {
      takeOver: (...given) => calls.count('takeOverUpload', takeOver.apply(uploads, given)),
    }),
    abilities: (state) => uploads.abilities(state),
    begin: (...given) => calls.count('beginUpload', uploads.begin(...given)),
    async append(...given) {
      return countedPart(await calls.count('appendPart', uploads.append(...given)), calls)
    },
    async replaceLast(...given) {
      return countedPart(await calls.count('replacePart', uploads.replaceLast(...given)), calls)
    },
    complete: (...given) => calls.count('completeUpload', uploads.complete(...given)),
    isPublished: (state) => calls.count('isPublished', uploads.isPublished(state)),
    abort: (state) => calls.count('abortUpload', uploads.abort(state)),
    sweep: (...given) => calls.count('sweepUploads', uploads.sweep(...given)),
  }
}
