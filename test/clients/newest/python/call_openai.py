import os

import openai

client = openai.OpenAI(base_url=os.environ["ENDPOINT"] + "/v1", api_key=os.environ["MODELS_KEY"])
messages = [{"role": "user", "content": "Hi"}]
answer = client.chat.completions.create(model="openai/big", messages=messages)
assert answer.choices[0].message.content == "héllo"
stream = client.chat.completions.create(model="openai/big", messages=messages, stream=True)
text = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
assert text == "héllo 🦥", text
client.audio.transcriptions.create(model="openai/big", file=("speech.wav", b"\1" * 300_000))
apps = client.with_options(base_url=os.environ["ENDPOINT"] + "/ai/v1")
listed = [model.id for model in apps.models.list()]
assert "openai/big" in listed and "anthropic/big" in listed, listed
assert apps.models.retrieve("openai/big").id == "openai/big"
apps.chat.completions.create(model="solo-openai", messages=messages)
try:
    client.chat.completions.create(model="none", messages=messages)
    raise AssertionError("an unknown model was called")
except openai.NotFoundError as error:
    assert error.code == "model_not_found"
