import { useWindowEvent } from '@mantine/hooks'
import { useLocation } from 'wouter'
import { filesTexts } from '../../texts/files.ts'
import { locationPath } from '../files-location.ts'
import { SearchField } from './search-field.tsx'
import { focusSearch, isWriting, nameOfKeys } from './search-keys.ts'

/** Searches in all buckets, from a page that has no folder. */
export function SearchEverywhere() {
  const [, navigate] = useLocation()
  // The keys that lead to the search of a folder.
  useWindowEvent('keydown', (event) => {
    const isKey = ['/', 'ctrl+k'].includes(nameOfKeys(event))
    if (!isKey || isWriting(event.target)) return
    event.preventDefault()
    focusSearch()
  })
  return (
    <SearchField
      text=""
      placeholder={filesTexts.search.everywhere}
      onText={() => undefined}
      onEnter={(text) => {
        if (text.trim() === '') return
        navigate(locationPath({ bucket: undefined, prefix: '', filter: text, scope: 'all' }))
      }}
      onLeave={() => undefined}
    />
  )
}
