import { PasswordInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { frameTexts } from '../texts/frame.ts'

interface PasswordFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
  /** Changes with each failed attempt, which resets the field. */
  readonly attempt: unknown
}

export function PasswordField({ value, onChange, error, attempt }: PasswordFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isShown, { toggle }] = useDisclosure(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each failed attempt
  useEffect(() => {
    input.current?.focus()
    input.current?.select()
  }, [attempt])
  return (
    <PasswordInput
      ref={input}
      label={frameTexts.signIn.password}
      name="password"
      autoComplete="current-password"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      aria-invalid={error !== undefined}
      visible={isShown}
      onVisibilityChange={toggle}
      visibilityToggleButtonProps={{
        'aria-label': isShown ? frameTexts.signIn.hidePassword : frameTexts.signIn.showPassword,
        tabIndex: 0,
      }}
    />
  )
}
