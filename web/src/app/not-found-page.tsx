import { Button, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { frameTexts } from '../texts/frame.ts'

export function NotFoundPage() {
  return (
    <Stack align="flex-start" gap="sm" p="lg">
      <Title order={1} size="h2">
        {frameTexts.notFound.title}
      </Title>
      <Text>{frameTexts.notFound.text}</Text>
      <Button component={Link} href="/files">
        {frameTexts.notFound.action}
      </Button>
    </Stack>
  )
}
