"""Envelopes of version 1 without TableTheory: boto3 asks KMS for the data key, `cryptography` does the rest.

    kms.py create-key                       prints the ARN of a new key
    kms.py seal --key K --attribute A       reads a payload, prints the envelope as DynamoDB JSON
    kms.py open --key K --attribute A       reads an envelope as DynamoDB JSON, prints the payload
"""

import argparse
import base64
import json
import os
import sys

import boto3
from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def associated(attribute):
    return f"theorydb:encrypted:v1|attr={attribute}".encode()


def seal(kms, key, attribute):
    payload = sys.stdin.buffer.read()
    data_key = kms.generate_data_key(KeyId=key, KeySpec="AES_256")
    nonce = os.urandom(12)
    members = {
        "edk": data_key["CiphertextBlob"],
        "nonce": nonce,
        "ct": AESGCM(data_key["Plaintext"]).encrypt(nonce, payload, associated(attribute)),
    }
    stored = {name: {"B": base64.b64encode(value).decode()} for name, value in members.items()}
    stored["v"] = {"N": "1"}
    print(json.dumps({"M": stored}))


def open_(kms, key, attribute):
    stored = json.load(sys.stdin)["M"]
    assert sorted(stored) == ["ct", "edk", "nonce", "v"], sorted(stored)
    assert stored["v"] == {"N": "1"}, stored["v"]
    edk, nonce, ct = (base64.b64decode(stored[name]["B"], validate=True) for name in ("edk", "nonce", "ct"))
    data_key = kms.decrypt(CiphertextBlob=edk, KeyId=key)["Plaintext"]
    assert len(data_key) == 32 and len(nonce) == 12
    sys.stdout.buffer.write(AESGCM(data_key).decrypt(nonce, ct, associated(attribute)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["create-key", "seal", "open"])
    parser.add_argument("--endpoint", required=True)
    parser.add_argument("--key")
    parser.add_argument("--attribute")
    told = parser.parse_args()
    kms = boto3.client("kms", endpoint_url=told.endpoint)
    if told.command == "create-key":
        print(kms.create_key()["KeyMetadata"]["Arn"], end="")
    elif told.command == "seal":
        seal(kms, told.key, told.attribute)
    else:
        open_(kms, told.key, told.attribute)


main()
