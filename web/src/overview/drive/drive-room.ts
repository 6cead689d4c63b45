import { formatBytes } from '../../format/bytes.ts'
import { overviewTexts } from '../../texts/overview.ts'

export interface DriveRoom {
  readonly usedPercent: number
  readonly level: 'roomy' | 'tight' | 'full'
  /** "120 GiB of 500 GiB in use, 380 GiB free". */
  readonly text: string
}

/** A drive is tight, or full, from this percentage in use. */
const tightPercent = 85
const fullPercent = 95

/** Undefined if the free space is not available. */
export function driveRoom(drive: {
  readonly freeBytes: number | null
  readonly totalBytes: number | null
}): DriveRoom | undefined {
  const { freeBytes, totalBytes } = drive
  if (freeBytes === null || totalBytes === null || totalBytes <= 0) return undefined
  const usedBytes = Math.max(0, totalBytes - freeBytes)
  const usedPercent = Math.min(100, (usedBytes / totalBytes) * 100)
  const level =
    usedPercent >= fullPercent ? 'full' : usedPercent >= tightPercent ? 'tight' : 'roomy'
  const text = overviewTexts.room(
    formatBytes(usedBytes),
    formatBytes(totalBytes),
    formatBytes(freeBytes),
  )
  return { usedPercent, level, text }
}
