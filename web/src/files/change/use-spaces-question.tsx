import { Alert, Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { fileChangeTexts } from '../../texts/file-change.ts'
import { NameText } from '../entries/name-text.tsx'
import { trimmedPath } from './name-problem.ts'

interface SpacesQuestion {
  /** Whether the question is shown: submitting again keeps the spaces. */
  readonly isAsking: boolean
  /** Called on submit. Returns whether the name has spaces that were not asked about. */
  readonly asks: () => boolean
  readonly question: ReactNode
}

/** Asks about spaces around a name, which a field does not show. */
export function useSpacesQuestion(name: string, onTrim: (trimmed: string) => void): SpacesQuestion {
  const [asked, setAsked] = useState<string>()
  const isAsking = asked === name
  return {
    isAsking,
    asks() {
      const isNew = !isAsking && trimmedPath(name) !== name
      if (isNew) setAsked(name)
      return isNew
    },
    question: isAsking && (
      <Alert color="yellow" variant="light" role="alert" title={fileChangeTexts.spaces}>
        {name.split('/').map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same name can be there twice
          <span key={index}>
            {index > 0 && '/'}
            <NameText name={part} />
          </span>
        ))}
        <Button
          display="block"
          mt="xs"
          size="xs"
          variant="default"
          onClick={() => onTrim(trimmedPath(name))}
        >
          {fileChangeTexts.removeSpaces}
        </Button>
      </Alert>
    ),
  }
}
