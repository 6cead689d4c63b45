import { NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { wouldEndSomething } from '../session/sign-out-guard.ts'
import { chooseLanguage, chosenLanguage, type Language, languages } from '../texts/language.ts'
import { settingsTexts } from '../texts/settings.ts'
import { Section } from '../ui/section.tsx'

/** The language of this browser. */
export function LanguageSection() {
  const [isWaiting, setIsWaiting] = useState(false)
  return (
    <Section title={settingsTexts.language.title}>
      <NativeSelect
        aria-label={settingsTexts.language.title}
        defaultValue={chosenLanguage() ?? ''}
        data={[
          { value: '', label: settingsTexts.language.automatic },
          ...Object.entries(languages).map(([value, label]) => ({ value, label })),
        ]}
        onChange={({ currentTarget: { value } }) => {
          chooseLanguage(value === '' ? undefined : (value as Language))
          if (wouldEndSomething()) setIsWaiting(true)
          else location.reload()
        }}
      />
      <Text size="xs" c="dimmed" mt={6} role="status">
        {isWaiting ? settingsTexts.language.waiting : settingsTexts.language.text}
      </Text>
    </Section>
  )
}
