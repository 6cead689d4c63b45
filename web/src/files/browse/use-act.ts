import { useCallback } from 'react'
import { filesTexts } from '../../texts/files.ts'
import { copyText } from '../../ui/copy/copy-text.ts'
import { showFailure, showSuccess } from '../../ui/messages.ts'
import { put } from '../carry/clipboard.ts'
import { type Entry, parentOf } from '../entries/entry.ts'
import { actionObstacle, type EntryAction } from '../entries/entry-action.ts'
import { s3Uri } from '../entries/object-address.ts'
import { measure } from '../folder-sizes/folder-sizes.ts'
import { viewOf } from '../preview/viewed-address.ts'
import { download } from '../s3/download-files.ts'
import { toggleStars } from '../stars/stars.ts'
import type { Browser } from './browser.ts'

type ActParts = Pick<Browser, 'location' | 'setDialog' | 'openPrefix' | 'view' | 'reload'>

/** Runs an action on entries. */
export function useAct(parts: ActParts): Browser['act'] {
  const { location, setDialog, openPrefix, view, reload } = parts
  return useCallback(
    (action, entries) => {
      const [entry] = entries
      if (entry === undefined) return
      const bucket = entry.bucket ?? location.bucket
      const obstacle = actionObstacle(action, entries)
      if (obstacle !== undefined) {
        showFailure(filesTexts.notPossible, obstacle)
        return
      }
      const actions: Readonly<Record<EntryAction, () => void>> = {
        open: () => {
          if (entry.kind === 'folder') openPrefix(entry.key, bucket)
          else view(viewOf(location, entry))
        },
        details: () => {
          if (entry.kind === 'file') setDialog({ type: 'details', bucket, file: entry })
          else setDialog({ type: 'folder-details', bucket, folder: entry })
        },
        download: () => void download(bucket, entries),
        share: () => setDialog({ type: 'share', bucket, keys: entries.map(({ key }) => key) }),
        star: () => toggleStars(bucket, entries, () => location.scope === 'starred' && reload()),
        'copy-uri': () => void copyUri(s3Uri(bucket, entry.key)),
        rename: () => setDialog({ type: 'rename', bucket, entry }),
        write: () => {
          if (entry.kind === 'file') setDialog({ type: 'write', bucket, file: entry })
        },
        move: () => setDialog({ type: 'move', bucket, entries }),
        copy: () => setDialog({ type: 'copy', bucket, entries }),
        edit: () => setDialog({ type: 'edit', bucket, entries }),
        measure: () => measure(bucket, foldersOf(entries)),
        duplicate: () => {
          for (const [prefix, some] of Map.groupBy(entries, ({ key }) => parentOf(key))) {
            put({ mode: 'copy', bucket, entries: some }, { bucket, prefix })
          }
        },
        delete: () => setDialog({ type: 'delete', bucket, entries }),
        erase: () => setDialog({ type: 'erase', bucket, entries }),
      }
      actions[action]()
    },
    [location, setDialog, openPrefix, view, reload],
  )
}

function foldersOf(entries: readonly Entry[]): readonly string[] {
  return entries.filter(({ kind }) => kind === 'folder').map(({ key }) => key)
}

async function copyUri(uri: string): Promise<void> {
  if (await copyText(uri)) showSuccess(filesTexts.uriCopied)
  else showFailure(filesTexts.copyNotAllowed, uri)
}
