const key = 'bucketry.folder'

/** The address of the folder that this browser showed last, below the app's base; the buckets if there is none. */
export function lastFolder(): string {
  try {
    const path = localStorage.getItem(key) ?? ''
    return path.startsWith('/files') ? path : '/files'
  } catch {
    // Storage is not available.
    return '/files'
  }
}

export function storeLastFolder(path: string): void {
  try {
    localStorage.setItem(key, path)
  } catch {
    // Storage is not available.
  }
}
