import { texts as frame } from './de/frame.ts'
import { texts as settings } from './de/settings.ts'
import type { TextKit } from './text-kit.ts'

export const german = (kit: TextKit) => ({
  frame: frame(kit),
  settings: settings(kit),
})

export type German = ReturnType<typeof german>
