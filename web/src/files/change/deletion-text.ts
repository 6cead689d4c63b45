import type {
  BucketStatus,
  StatusReply,
} from '../../../../src/dashboard/management/management-schemas.ts'

/** What happens to deleted files of a bucket on this drive. Undefined: not known yet. */
export function deletionText(
  deletes: StatusReply['drive']['deletes'] | undefined,
  versioning: BucketStatus['versioning'] = 'off',
): string {
  if (versioning === 'enabled') {
    return 'It stays in the history of this bucket. You can restore it with “Show deleted”.'
  }
  if (versioning === 'suspended') {
    return (
      'Versions are suspended in this bucket: what was written since then is deleted permanently. ' +
      'Versions from before can be restored with “Show deleted”.'
    )
  }
  switch (deletes) {
    case 'trash':
      return 'Deleted files go to the trash of Google Drive, where you can restore them.'
    case 'server':
      return (
        'Nextcloud and ownCloud keep deleted files in their trash if it is enabled. Other WebDAV ' +
        'servers usually delete them permanently.'
      )
    case 'permanent':
      return 'Files are deleted permanently. This cannot be undone.'
    case undefined:
      return 'You may not be able to undo this.'
  }
}
