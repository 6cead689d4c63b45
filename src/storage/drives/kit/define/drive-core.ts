import type { Attributes } from '../../attributes.ts'
import type {
  DraftOptions,
  Drive,
  ObjectMetadata,
  ObjectName,
  OpenObject,
  OpenOptions,
  RemovalConditions,
  UploadDrive,
  WriteConditions,
} from '../../drive.ts'
import type { ObjectEntry } from '../../listed-entry.ts'
import type { Removal, VersionOptions } from '../../versions.ts'
import type { StagedUploads } from '../uploads/staged-uploads.ts'

/** What is stored with an object: its attributes and, if it was an upload, the upload's ID. */
export interface CoreObject extends ObjectMetadata {
  readonly uploadId?: string | undefined
}

/** As Draft, but without conditions, and ended only once. */
export interface CoreDraft {
  write(chunk: Uint8Array): Promise<void>
  /** Makes the bytes the object in one step. If it rejects, the key is unchanged. */
  publish(attributes: Attributes, uploadId?: string): Promise<CoreObject>
  /** Called once, also after `publish`. Never rejects. */
  discard(): Promise<void>
}

/** What a drive has to implement. The rules of methods that are in Drive as well are the same. */
export interface DriveCore
  extends Pick<Drive, 'kind' | 'addBucket' | 'removeBucket' | 'bucketCreatedAtMs'>,
    Partial<
      Pick<
        Drive,
        | 'deletes'
        | 'isVersionId'
        | 'setVersioning'
        | 'listVersions'
        | 'hidingMarker'
        | 'trashes'
        | 'isLocal'
        | 'check'
        | 'copy'
        | 'setAttributes'
        | 'quota'
        | 'statistics'
        | 'close'
      >
    > {
  /** All objects of a bucket, in any order. @throws DriveError `no-bucket` */
  objects(bucket: string): Promise<readonly ObjectEntry[]>
  /** As Drive.open. Reads need not end when the object is closed. */
  open(
    bucket: string,
    key: string,
    options?: OpenOptions,
  ): Promise<(OpenObject & CoreObject) | undefined>
  draft(bucket: string, key: string, options: DraftOptions): Promise<CoreDraft>
  /** As Drive.remove. The conditions hold, and only `versionId` and `lock` are left to be obeyed. */
  remove(bucket: string, key: string, options?: RemovalConditions): Promise<Removal | undefined>
  /** The directory in which parts wait until they are written as an object, or the drive's own uploads. */
  readonly uploads: StagedUploads | UploadDrive
}

export type Alone = <Result>(work: () => Promise<Result>) => Promise<Result>

/** The rest of a publication. */
interface Publication {
  readonly attributes: Attributes
  readonly conditions?: WriteConditions | undefined
  readonly uploadId?: string
  /** Called when the conditions hold, immediately before the object changes. */
  readonly before?: (current: CoreObject | undefined) => Promise<void>
}

/** What uploads use of the drive. */
export interface DraftPublisher {
  draft(name: ObjectName, options: DraftOptions): Promise<CoreDraft>
  publish(draft: CoreDraft, name: ObjectName, publication: Publication): Promise<ObjectMetadata>
  head(name: ObjectName, options?: VersionOptions): Promise<CoreObject | undefined>
}
