# A bank account and somebody to pay from it, both accepted.
HOME_ADDRESS='{"country":"US","state":"NY","city":"New York","postCode":"10001","line1":"1 Main Street"}'
PERSON="{\"type\":\"INDIVIDUAL\",\"name\":\"Ada Example\",\"dateOfBirth\":\"1990-01-02\",\"address\":$HOME_ADDRESS}"

ask POST /v1/payment-methods/bank "{\"transferType\":\"ACH\",\"accountNumber\":\"123456789\",\"routingNumber\":\"021000021\",\"accountType\":\"CHECKING\",\"bankName\":\"A Bank\",\"beneficiaries\":[$PERSON]}"
is 201 id "$ID" state PENDING transferType ACH currency USD
METHOD=$(get id)
control advance '{"duration":60000}'
ask GET "/v1/payment-methods/bank/$METHOD"
is 200 state READY
