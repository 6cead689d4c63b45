import { Group, NativeSelect, NumberInput, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { filesDialogsTexts } from '../../texts/files-dialogs.ts'
import { customLifetime, type LifetimeUnit } from './share-lifetime.ts'

const units: readonly LifetimeUnit[] = ['minutes', 'hours', 'days']

interface CustomLifetimeProps {
  /** Undefined: the input is not a valid lifetime. */
  readonly onChange: (seconds: number | undefined) => void
}

export function CustomLifetime({ onChange }: CustomLifetimeProps) {
  const [count, setCount] = useState<number | string>(2)
  const [unit, setUnit] = useState<LifetimeUnit>('days')
  const seconds = typeof count === 'number' ? customLifetime(count, unit) : undefined
  useEffect(() => onChange(seconds), [seconds, onChange])
  return (
    <div>
      <Group gap="xs" align="flex-end">
        <NumberInput
          label={filesDialogsTexts.lifetime.duration}
          min={0}
          w={120}
          value={count}
          onChange={setCount}
        />
        <NativeSelect
          aria-label={filesDialogsTexts.lifetime.unit}
          data={units.map((value) => ({ value, label: filesDialogsTexts.lifetime.units[value] }))}
          value={unit}
          onChange={(event) => setUnit(event.currentTarget.value as LifetimeUnit)}
        />
      </Group>
      {seconds === undefined && (
        <Text size="sm" c="red" role="alert" mt={4}>
          {filesDialogsTexts.lifetime.range}
        </Text>
      )}
    </div>
  )
}
