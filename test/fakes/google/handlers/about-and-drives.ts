import { usedBytes } from '../account.ts'
import type { Handler } from '../call.ts'
import type { SharedDrive } from '../drive-files.ts'
import { applyFieldMask, type FieldSchema, parseFieldMask } from '../field-mask.ts'
import { leaves } from '../file-resource.ts'
import { GoogleError } from '../google-error.ts'

const aboutSchema: FieldSchema = {
  ...leaves(`kind importFormats exportFormats maxImportSizes maxUploadSize appInstalled
    folderColorPalette driveThemes teamDriveThemes canCreateDrives canCreateTeamDrives`),
  user: leaves('kind displayName photoLink me permissionId emailAddress'),
  storageQuota: leaves('limit usage usageInDrive usageInDriveTrash'),
}

export const about: Handler = ({ query, account }) => {
  const fields = query.get('fields')
  if (fields === null || fields === '') {
    const message = "The 'fields' parameter is required for this method."
    throw new GoogleError('required', { message, location: 'fields' })
  }
  const used = String(usedBytes(account))
  const { limitBytes } = account.knobs
  const json = {
    kind: 'drive#about',
    user: {
      kind: 'drive#user',
      displayName: 'A Person',
      me: true,
      permissionId: '01234567890123456789',
      emailAddress: 'person@example.com',
    },
    storageQuota: {
      // Absent for accounts without a limit.
      ...(limitBytes === undefined ? {} : { limit: String(limitBytes) }),
      usage: used,
      usageInDrive: used,
      usageInDriveTrash: '0',
    },
    maxUploadSize: '5242880000000',
    canCreateDrives: true,
  }
  return { status: 200, json: applyFieldMask(json, parseFieldMask(fields, aboutSchema)) }
}

export const getDrive: Handler = ({ account, id }) => {
  const drive = account.files.sharedDrives.get(id)
  if (drive === undefined) {
    const message = `Shared drive not found: ${id}`
    throw new GoogleError('notFound', { message, location: 'driveId' })
  }
  return { status: 200, json: driveResource(drive) }
}

export const listDrives: Handler = ({ account }) => {
  const drives = [...account.files.sharedDrives.values()].map(driveResource)
  return { status: 200, json: { kind: 'drive#driveList', drives } }
}

function driveResource({ id, name, createdAtMs }: SharedDrive): Record<string, unknown> {
  return { kind: 'drive#drive', id, name, createdTime: new Date(createdAtMs).toISOString() }
}
