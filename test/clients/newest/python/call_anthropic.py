import os

import anthropic

client = anthropic.Anthropic(base_url=os.environ["ENDPOINT"], api_key=os.environ["MODELS_KEY"])
request = {"model": "anthropic/big", "max_tokens": 10, "messages": [{"role": "user", "content": "Hi"}]}
assert client.messages.create(**request).usage.output_tokens == 5
text = ""
for event in client.messages.create(**request, stream=True):
    if event.type == "content_block_delta":
        text += event.delta.text
assert text == "héllo", text
try:
    client.messages.create(**{**request, "model": "none"})
    raise AssertionError("an unknown model was called")
except anthropic.NotFoundError:
    pass
