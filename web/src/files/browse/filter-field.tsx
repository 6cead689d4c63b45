import { CloseButton, Kbd, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import classes from './browser-toolbar.module.css'

/** Delay after the last keystroke. */
const debounceMs = 250

interface FilterFieldProps {
  readonly filter: string
  readonly onFilter: (filter: string) => void
}

/** Filters by prefix. The server searches, so folders of any size work. */
export function FilterField({ filter, onFilter }: FilterFieldProps) {
  const [text, setText] = useState(filter)
  const [known, setKnown] = useState(filter)
  if (known !== filter) {
    // The address changed without this field, for example with Back.
    setKnown(filter)
    setText(filter)
  }
  useEffect(() => {
    if (text === filter) return
    const timer = setTimeout(() => {
      setKnown(text)
      onFilter(text)
    }, debounceMs)
    return () => clearTimeout(timer)
  }, [text, filter, onFilter])
  return (
    <TextInput
      className={classes.filter ?? ''}
      aria-label="Filter by the beginning of names"
      placeholder="Names that begin with…"
      data-files-filter
      spellCheck={false}
      autoComplete="off"
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setText('')
      }}
      leftSection={<IconSearch size={16} />}
      rightSection={
        text === '' ? (
          <Kbd size="xs" className={classes.help ?? ''}>
            /
          </Kbd>
        ) : (
          <CloseButton size="sm" aria-label="Clear the filter" onClick={() => setText('')} />
        )
      }
    />
  )
}
