const storageKey = 'bucketry.file-jobs'

/** The server's list has 20 jobs. */
const maxShown = 20

/** The jobs of the server that this tab shows, which it shows again after it was loaded again. */
export function shownJobs(): readonly string[] {
  try {
    const ids: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}

export function noteShown(id: string): void {
  store([...shownJobs().filter((one) => one !== id), id].slice(-maxShown))
}

export function noteDismissed(id: string): void {
  store(shownJobs().filter((one) => one !== id))
}

function store(ids: readonly string[]): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(ids))
  } catch {
    // Without storage, ended jobs are not shown again.
  }
}
