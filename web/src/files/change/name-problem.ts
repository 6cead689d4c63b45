import { fileChangeTexts } from '../../texts/file-change.ts'

/** Why a name is invalid for a file or folder; undefined if it is valid. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return fileChangeTexts.name.none
  if (name.includes('/')) return fileChangeTexts.name.slash
  if (name === '.' || name === '..') return fileChangeTexts.name.dots
  if (!name.isWellFormed()) return fileChangeTexts.name.invalid
  return undefined
}

/** The same for a path of new folders: `2026/summer`. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return nameProblem(path)
  const names = path.split('/')
  if (names.includes('')) return fileChangeTexts.name.levels
  return names.map(nameProblem).find((problem) => problem !== undefined)
}

/** The path without spaces around its names. */
export function trimmedPath(path: string): string {
  return path
    .split('/')
    .map((name) => name.trim())
    .join('/')
}
