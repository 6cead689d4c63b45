import { texts as activity } from './de/activity.ts'
import { texts as buckets } from './de/buckets.ts'
import { texts as connect } from './de/connect.ts'
import { texts as files } from './de/files.ts'
import { texts as filesDialogs } from './de/files-dialogs.ts'
import { texts as frame } from './de/frame.ts'
import { texts as keys } from './de/keys.ts'
import { texts as models } from './de/models.ts'
import { texts as overview } from './de/overview.ts'
import { texts as plots } from './de/plots.ts'
import { texts as settings } from './de/settings.ts'
import { texts as shares } from './de/shares.ts'
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
  settings: settings(kit),
  shares: shares(kit),
})

export type German = ReturnType<typeof german>
