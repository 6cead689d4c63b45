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
apps = client.with_options(base_url=os.environ["ENDPOINT"] + "/ai")
listed = [model.id for model in apps.models.list(limit=2)]
assert len(set(listed)) == len(listed) == 6, listed
assert apps.models.retrieve("anthropic/big").display_name == "anthropic/big"
apps.messages.create(**{**request, "model": "solo-anthropic"})
try:
    client.messages.create(**{**request, "model": "none"})
    raise AssertionError("an unknown model was called")
except anthropic.NotFoundError:
    pass
