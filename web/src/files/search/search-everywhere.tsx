import { useLocation } from 'wouter'
import { filesTexts } from '../../texts/files.ts'
import { locationPath } from '../files-location.ts'
import { SearchField } from './search-field.tsx'

/** Searches in all buckets, from a page that has no folder. */
export function SearchEverywhere() {
  const [, navigate] = useLocation()
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
