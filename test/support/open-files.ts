import fs from 'node:fs'

/**
 * How many files and folders this process has open (Linux). Event loops of threads, pipes and sockets do not
 * count: Node opens them when it starts a thread.
 */
export function openFileCount(): number {
  return fs.readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith('/')
    } catch {
      // The descriptor with which the folder was read.
      return false
    }
  }).length
}
