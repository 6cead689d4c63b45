import os

from langchain_openai import ChatOpenAI

chat = ChatOpenAI(
    model="openai/big", base_url=os.environ["ENDPOINT"] + "/v1", api_key=os.environ["MODELS_KEY"]
)
assert chat.invoke("Hi").content == "héllo"
assert "".join(chunk.content for chunk in chat.stream("Hi")) == "héllo 🦥"
