import { Alert, Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { NameText } from '../entries/name-text.tsx'
import { trimmedPath } from './move-plan.ts'

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
      <Alert color="yellow" variant="light" role="alert" title="Spaces at the beginning or end">
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
          Remove the spaces
        </Button>
      </Alert>
    ),
  }
}
