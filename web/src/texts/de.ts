import { texts as activity } from './de/activity.ts'
import { texts as buckets } from './de/buckets.ts'
import { texts as connect } from './de/connect.ts'
import { texts as fileChange } from './de/file-change.ts'
import { texts as fileEdit } from './de/file-edit.ts'
import { texts as fileWork } from './de/file-work.ts'
import { texts as files } from './de/files.ts'
import { texts as filesDialogs } from './de/files-dialogs.ts'
import { texts as frame } from './de/frame.ts'
import { texts as keys } from './de/keys.ts'
import { texts as models } from './de/models.ts'
import { texts as overview } from './de/overview.ts'
import { texts as plots } from './de/plots.ts'
import { texts as preview } from './de/preview.ts'
import { texts as refusals } from './de/refusals.ts'
import { texts as settings } from './de/settings.ts'
import { texts as shares } from './de/shares.ts'
import { texts as transfers } from './de/transfers.ts'
import { texts as trash } from './de/trash.ts'
import { texts as versions } from './de/versions.ts'
import type { TextKit } from './text-kit.ts'

export const german = (kit: TextKit) => ({
  activity: activity(kit),
  buckets: buckets(kit),
  connect: connect(),
  files: files(kit),
  filesDialogs: filesDialogs(),
  frame: frame(kit),
  keys: keys(kit),
  models: models(kit),
  overview: overview(kit),
  plots: plots(),
  refusals: refusals(),
  settings: settings(kit),
  shares: shares(kit),
  trash: trash(kit),
  versions: versions(kit),
  fileChange: fileChange(kit),
  fileWork: fileWork(kit),
  transfers: transfers(kit),
  fileEdit: fileEdit(kit),
  preview: preview(kit),
})

export type German = ReturnType<typeof german>
