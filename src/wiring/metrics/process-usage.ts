import { readdirSync } from 'node:fs'
import { openFileLimit } from '../../process/open-files.ts'
import type { SnapshotBuilder } from './snapshot.ts'

/** Adds what this process uses of the machine. Synchronous: a hanging disk may block all threads. */
export function addProcessUsage(snapshot: SnapshotBuilder): void {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  snapshot.add('bucketry_process_cpu_seconds_total', (user + system) / 1e6)
  snapshot.add('bucketry_process_resident_memory_bytes', rss)
  snapshot.add('bucketry_process_heap_bytes', heapUsed)
  snapshot.add('bucketry_process_max_open_files', openFileLimit())
  const openFiles = countOpenFiles()
  if (openFiles !== undefined) snapshot.add('bucketry_process_open_files', openFiles)
}

function countOpenFiles(): number | undefined {
  try {
    // The folder itself is open meanwhile.
    return readdirSync('/proc/self/fd').length - 1
  } catch {
    // Not Linux, or no /proc in this container.
    return undefined
  }
}
